import type { EdgeLabel, Graph, GraphLabel, NodeLabel } from "./types";
export default parentDummyChains;
declare function parentDummyChains(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>): void;
//# sourceMappingURL=parent-dummy-chains.d.ts.map