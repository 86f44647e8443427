import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type ApiDocument, answerSchemaOf, operationsOf, problemsOf } from './api-document.ts'
import { pasteBlocks, readGuide } from './operator-guide.ts'

const hasTools = Bun.which('curl') !== null && Bun.which('sh') !== null
if (!hasTools)
  console.warn('curl was not found: the examples of docs/reference/operator-api.md are NOT tested')

const blocks = readGuide()
const ROOT = '/operator/v1'

let gateway: TestGateway
let document: ApiDocument
beforeAll(async () => {
  gateway = await startTestGateway({ environment: { TURNPIKE_NODE_NAME: 'gateway-1' } })
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as ApiDocument
})
afterAll(() => gateway.stop())

function callsOf(api: ApiDocument) {
  return operationsOf(api).filter(({ name }) => name.includes(` ${ROOT}/`))
}

describe('the guide to the operator API', () => {
  test('has a chapter for every call, and for nothing else', () => {
    const chapters = new Set(
      blocks.map(({ heading }) => heading).filter((heading) => /^[A-Z]+ \//.test(heading)),
    )
    const calls = callsOf(document).map(({ name }) => name.replace(ROOT, ''))
    expect([...chapters].toSorted()).toEqual(calls.toSorted())
  })

  test.skipIf(!hasTools)('has examples that work when pasted and return the documented answers', async () => {
    const commands = blocks.filter(({ language }) => language === 'sh')
    const printed = await pasteBlocks(commands, { url: gateway.url, token: OPERATOR_TOKEN })
    const calls = callsOf(document)
    let checked = 0
    for (const [index, { heading }] of commands.entries()) {
      const example = blocks.find((block) => block.heading === heading && block.language === 'json')
      if (example === undefined) continue
      const answer: unknown = JSON.parse(printed[index]?.split('\n').at(-1) ?? '')
      const operation = calls.find(({ name }) => name.replace(ROOT, '') === heading)
      if (operation === undefined) throw new Error(`${heading} is not in the API document`)
      const problems = problemsOf(document, answerSchemaOf(document, operation), answer)
      expect([heading, problems, shapeOf(answer)]).toEqual([heading, [], shapeOf(JSON.parse(example.text))])
      checked++
    }
    expect(checked).toBe(calls.length)
  })
})

const VOLATILE =
  /^(.*_)?(id|at|ms|secret|last_four|cursor|supplier|supplier_format|reason|node|version|port|data_folder|(size|memory)_bytes|(cpu|uptime)_seconds|waiting)$|^(Billing|ChargePeriod|SubAccount|x_Request)/

/** An id in a sentence. */
const ID = /\b([a-z]{3,4}_)[a-z0-9]{20}\b/g

/** A value as far as two runs agree on it: ids, times, secrets and routing differ, names and amounts do not. */
function shapeOf(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => shapeOf(element, name))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member, key)]))
  }
  if (VOLATILE.test(name) && value !== null) return typeof value
  return typeof value === 'string' ? value.replaceAll(ID, '$1') : value
}
