import { HEADERS } from '../../src/edges/api-docs/overview.ts'

const TABLE = /<!-- headers -->[\s\S]*?<!-- \/headers -->/

/** The page with its table of response headers as the API document describes them. */
export function fillHeaders(text: string): string {
  const rows = Object.entries(HEADERS).map(
    ([name, [type, description]]) => `| \`${name}\` | ${type} | ${description} |\n`,
  )
  const table = `| Header | Type | Meaning |\n|---|---|---|\n${rows.join('')}`
  return text.replace(TABLE, () => `<!-- headers -->\n${table}<!-- /headers -->`)
}
