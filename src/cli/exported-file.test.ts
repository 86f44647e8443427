import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProgress } from './exported-file.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-exported-'))
  path = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true }))

function progressOf(text: string, format: 'csv' | 'jsonl') {
  writeFileSync(path, text)
  return readProgress(path, format)
}

const HEAD = '\uFEFFnote,cursor\r\n'
const WHOLE = `${HEAD}one,WzE\r\n"two\r\nlines, ""x"", WzX\r\n",WzI\r\n`

describe('a table that was cut off', () => {
  test('continues after its last complete line, wherever the cut is', async () => {
    const bytes = Buffer.from(WHOLE)
    const ends = [Buffer.byteLength(HEAD), Buffer.byteLength(`${HEAD}one,WzE\r\n`), bytes.length]
    for (let cut = 0; cut <= bytes.length; cut++) {
      writeFileSync(path, bytes.subarray(0, cut))
      const whole = ends.filter((end) => end <= cut).length
      const expected = [
        { cursor: null, wholeBytes: 0 },
        { cursor: null, wholeBytes: 0 },
        { cursor: 'WzE', wholeBytes: ends[1] ?? 0 },
        { cursor: 'WzI', wholeBytes: ends[2] ?? 0 },
      ].at(whole)
      expect({ cut, ...(await readProgress(path, 'csv')) }).toEqual({
        cut,
        cursor: null,
        wholeBytes: 0,
        ...expected,
      })
    }
  })

  test('is distinguished from a file that is no export', async () => {
    await expect(progressOf('a,b\r\nc, d!\r\n', 'csv')).rejects.toThrow('is no csv export')
    await expect(progressOf(`${HEAD}c, d!\r\n`, 'csv')).rejects.toThrow('is no csv export')
    await expect(progressOf('one line only', 'csv')).rejects.toThrow('is no csv export')
    await expect(progressOf('one line only', 'jsonl')).rejects.toThrow('is no jsonl export')
  })
})

describe('JSON Lines that were cut off', () => {
  test('continue after the last complete line', async () => {
    const first = '{"note":"a \\"b\\n","cursor":"WzE"}\n'
    expect(await progressOf(first, 'jsonl')).toEqual({ cursor: 'WzE', wholeBytes: first.length })
    expect(await progressOf(`${first}{"note":"`, 'jsonl')).toEqual({
      cursor: 'WzE',
      wholeBytes: first.length,
    })
    expect(await progressOf('', 'jsonl')).toEqual({ cursor: null, wholeBytes: 0 })
  })

  test('are distinguished from a file that is no export', async () => {
    await expect(progressOf('hello\n', 'jsonl')).rejects.toThrow('is no jsonl export')
    await expect(progressOf('{"cursor":1}\n', 'jsonl')).rejects.toThrow('is no jsonl export')
  })
})
