"""An agent and a workflow in the YAML of Agent Framework. They are written for these tests."""

from __future__ import annotations

CLERK = """\
kind: Prompt
name: Clerk
description: Sells bread.
instructions: Sell bread.
model:
  id: gpt-4.1-mini
  provider: OpenAI
  options: {temperature: 0.5, topP: 0.9}
  connection: {kind: ApiKey, key: sk-secret-of-the-file}
tools:
  - {kind: mcp, name: shop, url: https://shop.example/mcp, allowedTools: [find]}
  - kind: function
    name: price
    description: Tells a price.
    parameters: {properties: {item: {type: string, required: true}}}
outputSchema:
  properties:
    IsSold: {type: boolean, required: true}
    text: {kind: string, description: What is said.}
"""
WORKFLOW = """\
kind: Workflow
trigger:
  kind: OnConversationStart
  id: shop
  actions:
    - {kind: SetVariable, id: first, variable: Local.Count, value: =Local.Count + 1}
    - kind: InvokeAzureAgent
      id: ask_clerk
      agent: {name: Clerk}
      output: {responseObject: Local.Sale}
    - kind: ConditionGroup
      id: sold
      conditions:
        - condition: =Local.Sale.IsSold And Not(IsBlank(Local.Sale.text))
          actions:
            - {kind: SendActivity, activity: "Sold, {Local.Sale.text}."}
            - {kind: EndWorkflow, id: done}
        - condition: =Local.Count < 3
          actions:
            - {kind: GotoAction, actionId: first}
      elseActions:
        - {kind: SendActivity, activity: '=Concat("Tries: ", Local.Count)'}
"""
