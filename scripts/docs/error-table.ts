import { ERROR_CODES } from '../../src/errors/codes.ts'

const TABLE = /<!-- error-codes -->[\s\S]*?<!-- \/error-codes -->/

/** The page with its table of error codes as it has to be. Each code leads to its paragraph. */
export function fillErrorCodes(text: string): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, retry, meaning }]) =>
      `| [\`${code}\`](#${code}) | ${status} | ${retry} | ${meaning} |\n`,
  )
  const table = `| Code | Status | Retry | Meaning |\n|---|--:|---|---|\n${rows.join('')}`
  return text.replace(TABLE, () => `<!-- error-codes -->\n${table}<!-- /error-codes -->`)
}
