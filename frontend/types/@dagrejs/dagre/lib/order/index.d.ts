import type { Graph as GraphType, NodeCollection, OrderOptions } from '../types';
export default function order(graph: GraphType, opts?: OrderOptions, oldNodes?: NodeCollection): void;
//# sourceMappingURL=index.d.ts.map