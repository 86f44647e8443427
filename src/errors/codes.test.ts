import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from './codes.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/errors.md'), 'utf8')
const SECTION = /^### (\w+)\n\nStatus (\d+), retry ([\w-]+)\. (.+)$/gm

/** Code, status and retry advice of every section of the page, in its order. */
const documented = [...page.matchAll(SECTION)].map(([, code = '', status, retry, advice = '']) => ({
  code,
  status: Number(status),
  retry,
  advice,
}))

describe('docs/reference/errors.md', () => {
  test('has one section for every code and none for anything else', () => {
    const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
    expect(headings.toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted())
  })

  test.each(Object.entries(ERROR_CODES))(
    'gives the status and retry advice of %s',
    (code, { status, retry }) => {
      expect(documented.find((section) => section.code === code)).toMatchObject({ status, retry })
    },
  )

  test('says of every code what happened and what to do', () => {
    for (const { advice } of documented) expect(advice.split('. ').length).toBeGreaterThanOrEqual(2)
  })

  test('explains every kind of retry', () => {
    for (const { retry } of Object.values(ERROR_CODES)) expect(page).toContain(`- **${retry}**:`)
  })
})
