import type { EdgeLabel, Graph, GraphLabel, NodeLabel } from "./types";
export { run, cleanup, };
declare function run(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>): void;
declare function cleanup(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>): void;
//# sourceMappingURL=nesting-graph.d.ts.map