import type { EdgeLabel, Graph, GraphLabel, NodeLabel } from "./types";
export default addBorderSegments;
declare function addBorderSegments(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>): void;
//# sourceMappingURL=add-border-segments.d.ts.map