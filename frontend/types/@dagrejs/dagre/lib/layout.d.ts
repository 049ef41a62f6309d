import { Graph } from "./graph-lib";
import type { LayoutOptions } from "./types";
export declare function layout<G = any, N = any, E = any>(g: Graph<G, N, E>, opts?: LayoutOptions): Graph<G, N, E>;
//# sourceMappingURL=layout.d.ts.map