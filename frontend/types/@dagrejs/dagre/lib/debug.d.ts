import { Graph } from "./graph-lib";
export declare function debugOrdering(graph: Graph): Graph;
//# sourceMappingURL=debug.d.ts.map