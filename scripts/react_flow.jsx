// The builder's cards in React Flow, for scripts/measure_builder.py: the same HTML and the same style sheets.
import { Background, Handle, MiniMap, Position, ReactFlow, ReactFlowProvider, useEdgesState, useNodesState } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { memo, useCallback, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'

const Card = memo(({ data }) => (
  <>
    <Handle type="target" position={Position.Left} />
    <div dangerouslySetInnerHTML={data.content} />
    <Handle type="source" position={Position.Right} />
  </>
))
const nodeTypes = { card: Card }
const onlyVisible = location.search.includes('visible')

function Team({ cards }) {
  const [nodes, setNodes, onNodesChange] = useNodesState(cards.map((card, index) => ({ id: String(index), type: 'card', position: { x: card.x, y: card.y }, data: { content: { __html: card.html } } })))
  const [edges] = useEdgesState(cards.slice(1).map((_card, index) => ({ id: `e${index}`, source: '0', target: String(index + 1) })))
  const kept = useRef(nodes)
  const keep = useCallback(() => { kept.current = nodes }, [nodes])
  useEffect(() => { window.takeBack = () => setNodes(kept.current) }, [setNodes])
  return (
    <ReactFlow nodes={nodes} edges={edges} nodeTypes={nodeTypes} onNodesChange={onNodesChange} onNodeDragStart={keep} onlyRenderVisibleElements={onlyVisible}
      defaultViewport={{ x: 28, y: 28, zoom: 0.72 }} minZoom={0.1}>
      <Background />
      <MiniMap />
    </ReactFlow>
  )
}

const cards = await (await fetch('cards.json')).json()
const root = document.getElementById('root')
root.style.cssText = 'width: 100vw; height: 100vh'
createRoot(root).render(<ReactFlowProvider><Team cards={cards} /></ReactFlowProvider>)
