import type { Graph as GraphType } from '../types';
export default function buildLayerGraph(graph: GraphType, rank: number, relationship: "inEdges" | "outEdges", nodesWithRank?: string[]): GraphType;
//# sourceMappingURL=build-layer-graph.d.ts.map