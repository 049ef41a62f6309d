import { Graph } from "./graph-lib";
import type { Edge, WeightFunction } from './types';
export default function greedyFAS(graph: Graph, weightFn?: WeightFunction): Edge[];
//# sourceMappingURL=greedy-fas.d.ts.map