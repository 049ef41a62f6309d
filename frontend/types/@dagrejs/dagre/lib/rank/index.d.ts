import type { EdgeLabel, Graph, GraphLabel, NodeLabel } from "../types";
export default rank;
declare function rank(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>): void;
//# sourceMappingURL=index.d.ts.map