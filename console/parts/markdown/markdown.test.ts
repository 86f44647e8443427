import { describe, expect, test } from 'bun:test'
import { highlight } from './highlight.ts'
import { readMarkdown } from './rendered.tsx'
import { decodeEntities, safeAddress } from './safe-text.ts'

describe('links', () => {
  test('lead to web pages and mails only', () => {
    expect(safeAddress('https://example.com/a?b=c')).toBe('https://example.com/a?b=c')
    expect(safeAddress('mailto:a@example.com')).toBe('mailto:a@example.com')
    for (const address of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://example.com/x',
      '/console/keys',
      '',
    ]) {
      expect(safeAddress(address)).toBeNull()
    }
  })
})

describe('highlight', () => {
  test('keeps every character', () => {
    for (const code of [
      'const a = "b\\"c" // d\n/* e */ let f = `g$1`',
      "it's 3.5 \"open\n'never closed",
      '/* never closed',
      '',
    ]) {
      expect(
        highlight(code, 'ts')
          .map(({ text }) => text)
          .join(''),
      ).toBe(code)
    }
  })

  test('tells strings, comments, numbers and keywords apart', () => {
    const kinds = (code: string, language: string) =>
      highlight(code, language).flatMap(({ text, kind }) => (kind === null ? [] : [[kind, text]]))
    expect(kinds('return "if" + 42 // else', 'js')).toEqual([
      ['keyword', 'return'],
      ['string', '"if"'],
      ['number', '42'],
      ['comment', '// else'],
    ])
    expect(kinds('# if\nx = 1', 'python')).toEqual([
      ['comment', '# if'],
      ['number', '1'],
    ])
    expect(kinds('return 1', 'text')).toEqual([])
  })
})

describe('text that could block the browser', () => {
  test('is not laid out', () => {
    for (const piece of ['>', '*a_', '1. ', '> - ', '_a *', '**a', '[a](', '- ']) {
      expect(readMarkdown(piece.repeat(9_000))).toBeNull()
    }
    expect(readMarkdown('a'.repeat(200_001))).toBeNull()
  })

  test('is not taken for ordinary text', () => {
    const code = `\`\`\`python\n${'some_long_name = other_name\n'.repeat(300)}\`\`\``
    const list = '- one **bold** item\n'.repeat(60)
    for (const text of ['**bold**', code, list, '> > quoted', '1. a\n   - b\n     - c']) {
      expect(readMarkdown(text)).not.toBeNull()
    }
  })
})

test('entities become their characters, once', () => {
  expect(decodeEntities('&lt;b&gt; &amp;lt; &#39;&quot; &unknown;')).toBe('<b> &lt; \'" &unknown;')
})
