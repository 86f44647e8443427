import { expect, test } from 'bun:test'
import { withoutInlineCode } from './build-site.ts'

test('moves inline scripts to one file and drops inline styles', () => {
  const page =
    '<head><script id="a">first()</script><script id="b">second()</script><script src="/x.js"></script></head>' +
    '<div style="position:relative" class="c"><code>style="kept"</code></div>'
  const { text, script } = withoutInlineCode(page)
  expect(script?.code).toBe('first()\nsecond()')
  expect(script?.name).toMatch(/^assets\/first\.[0-9a-f]{8}\.js$/)
  expect(text).toBe(
    `<head><script src="/guide/${script?.name}"></script><script src="/x.js"></script></head>` +
      '<div class="c"><code>style="kept"</code></div>',
  )
})

test('leaves a page without inline code as it is', () => {
  const page = '<p class="c">text</p>'
  expect(withoutInlineCode(page)).toEqual({ text: page, script: null })
})
