import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkConsoleImports, checkImports, renderImportTable } from './check-imports.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'check-imports-'))
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

describe('the folder rule', () => {
  test('accepts a tree that follows it', () => {
    plant({
      'main.ts':
        "import { serve } from './edges/http-server/serve.ts'\nimport { route } from './serve/route.ts'",
      'serve/route.ts':
        "import { spend } from '../rules/limits/spend.ts'\nimport type { Port } from './ports/port.ts'",
      'serve/ports/port.ts': 'export interface Port {}',
      'rules/limits/spend.ts': "import { join } from 'node:path'\nimport { now } from './clock.ts'",
      'rules/limits/clock.ts': 'export const now = 1',
      'edges/http-server/serve.ts': "import type { Protocol } from '../../protocols/protocol.ts'",
      'protocols/protocol.ts': 'export interface Protocol {}',
      'protocols/index.ts': "import { messages } from './messages/index.ts'",
      'protocols/messages/index.ts': "import type { Protocol } from '../protocol.ts'",
    })
    expect(checkImports(root)).toEqual([])
  })

  const forbidden: readonly (readonly [why: string, path: string, code: string, expected: string])[] = [
    [
      'the request path reaches for an edge',
      'serve/route.ts',
      "\nimport { open } from '../edges/storage/open.ts'",
      'serve/route.ts:2 imports edges/storage/open.ts: folder serve may not import folder edges/storage',
    ],
    [
      'an edge imports another edge',
      'edges/journal/append.ts',
      "import { open } from '../storage/open.ts'",
      'edges/journal/append.ts:1 imports edges/storage/open.ts: folder edges/journal may not import folder edges/storage',
    ],
    [
      'a type is enough to break it',
      'rules/limits/spend.ts',
      "import type { Price } from '../ledger/price.ts'",
      'rules/limits/spend.ts:1 imports the types of rules/ledger/price.ts: folder rules/limits may not import folder rules/ledger',
    ],
    [
      'an edge calls into a protocol of which it may know only the types',
      'edges/http-server/serve.ts',
      "import {\n  PROTOCOLS,\n} from '../../protocols/index.ts'",
      'edges/http-server/serve.ts:3 imports protocols/index.ts: folder edges/http-server may not import folder protocols',
    ],
    [
      'a protocol re-exports another',
      'protocols/messages/index.ts',
      "export { decode } from '../responses/decode.ts'",
      'protocols/messages/index.ts:1 imports protocols/responses/decode.ts: folder protocols/messages may not import folder protocols/responses',
    ],
    [
      'a test reaches further than its folder',
      'wire/sse.test.ts',
      "import { serveRequest } from '../serve/serve-request.ts'",
      'wire/sse.test.ts:1 imports serve/serve-request.ts: folder wire may not import folder serve',
    ],
    [
      'a lazy import counts',
      'sandbox/server.ts',
      "const later = () => import('../errors/codes.ts')",
      'sandbox/server.ts:1 imports errors/codes.ts: folder sandbox may not import folder errors',
    ],
    [
      'source depends on test code',
      'wire/sse.ts',
      "import { fake } from '../../test/fake.ts'",
      'wire/sse.ts:1 imports ../test/fake.ts: folder wire may not import folder ..',
    ],
    [
      'a part reaches for the program it is part of',
      'serve/route.ts',
      "import { start } from '../start.ts'",
      'serve/route.ts:1 imports start.ts: folder serve may not import folder main',
    ],
    [
      'an undeclared folder',
      'helpers/things.ts',
      'export const x = 1',
      'helpers/things.ts:1 folder helpers has no row in IMPORT_RULES',
    ],
  ]
  for (const [why, path, code, expected] of forbidden) {
    test(`refuses: ${why}`, () => {
      plant({ [path]: code })
      expect(checkImports(root)).toEqual([expected])
    })
  }

  test('ignores an import in a comment', () => {
    plant({ 'wire/sse.ts': "/*\n import { a } from '../serve/a.ts'\n*/\nexport const x = 1" })
    expect(checkImports(root)).toEqual([])
  })
})

describe('cycles', () => {
  test('are refused and shown in full', () => {
    plant({
      'wire/a.ts': "import { b } from './b.ts'",
      'wire/b.ts': "import { c } from './c.ts'",
      'wire/c.ts': "import { a } from './a.ts'",
    })
    expect(checkImports(root)).toEqual([
      'wire/c.ts:1 imports wire/a.ts: import cycle wire/a.ts -> wire/b.ts -> wire/c.ts -> wire/a.ts',
    ])
  })

  test('of types are refused too', () => {
    plant({ 'wire/a.ts': "import { b } from './b.ts'", 'wire/b.ts': "import type { A } from './a.ts'" })
    expect(checkImports(root)).toEqual([
      'wire/b.ts:1 imports wire/a.ts: import cycle wire/a.ts -> wire/b.ts -> wire/a.ts',
    ])
  })

  test('do not include tests', () => {
    plant({
      'wire/a.test.ts': "import { b } from './b.test.ts'",
      'wire/b.test.ts': "import type { A } from './a.test.ts'",
    })
    expect(checkImports(root)).toEqual([])
  })
})

test('a protocol may be imported by name outside its folder only in tests', () => {
  plant({
    'serve/route.ts': "\nif (format === 'chat-completion') go()",
    'serve/route.test.ts': "expect(format).toBe('chat-completion')",
    'protocols/chat-completion/index.ts': "export const name = 'chat-completion'",
  })
  expect(checkImports(root)).toEqual([
    'serve/route.ts:2 names protocol chat-completion: only protocols/ may know it by name',
  ])
})

test('ARCHITECTURE.md shows the table that is checked', () => {
  const text = readFileSync(join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8')
  expect(text).toContain(renderImportTable())
})

describe('the console', () => {
  test('may import types and vocabulary of the gateway', () => {
    plant({
      'pages/requests/filters.tsx': "import { OUTCOMES } from '../../../src/vocabulary/words.ts'",
      'pages/keys/index.tsx':
        "import type { Price } from '../../../src/vocabulary/price.ts'\nimport { Money } from '../../parts/money.tsx'",
      'parts/money.test.ts': "import { formatUsdt } from '../../src/vocabulary/money.ts'",
    })
    expect(checkConsoleImports(root)).toEqual([])
  })

  test('may not import its code, nor tests or scripts', () => {
    plant({
      'parts/money.tsx': "import { formatUsdt } from '../../src/vocabulary/money.ts'",
      'parts/time.tsx': "import type { Clock } from '../../test/support/clock.ts'",
    })
    expect(checkConsoleImports(root)).toEqual([
      'parts/money.tsx:1 imports ../src/vocabulary/money.ts: the console may import types and words of src only',
      'parts/time.tsx:1 imports ../test/support/clock.ts: the console may import types and words of src only',
    ])
  })
})
