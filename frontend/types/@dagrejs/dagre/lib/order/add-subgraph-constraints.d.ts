import type { Graph } from '../types';
export default function addSubgraphConstraints(graph: Graph, constraintGraph: Graph, vs: string[]): void;
//# sourceMappingURL=add-subgraph-constraints.d.ts.map