import type { Graph, NodeCollection } from '../types';
export default function initOrder(graph: Graph, oldNodes?: NodeCollection): string[][];
//# sourceMappingURL=init-order.d.ts.map