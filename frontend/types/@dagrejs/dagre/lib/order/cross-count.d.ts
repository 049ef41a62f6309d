import type { Graph } from '../types';
export default function crossCount(graph: Graph, layering: string[][]): number;
//# sourceMappingURL=cross-count.d.ts.map