import type { Graph } from '@dagrejs/graphlib';
import type { EdgeLabel, GraphLabel, NodeLabel } from "../types";
export { position };
declare function position(graph: Graph<GraphLabel, NodeLabel, EdgeLabel>, corePath?: string[]): void;
//# sourceMappingURL=index.d.ts.map