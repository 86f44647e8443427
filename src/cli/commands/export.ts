import { existsSync } from 'node:fs'
import { type FileHandle, open, truncate } from 'node:fs/promises'
import {
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../edges/management-api/operator/reports/export-format.ts'
import { SettlementExportFilter } from '../../vocabulary/settlement.ts'
import { wireName } from '../../vocabulary/shape.ts'
import { singleAction } from '../action-group.ts'
import { codeOf, DONE, type Terminal, UsageError } from '../command.ts'
import { noteOf } from '../endpoint-help.ts'
import { readProgress } from '../exported-file.ts'
import { flagOf } from '../operator-action.ts'
import { megabytes, writeJson } from '../print-table.ts'

const NOTES: Readonly<Record<string, string>> = {
  what: 'which rows: settlements, all movements of the ledger, or charges in FOCUS columns',
  format: 'CSV when left out',
  out: 'write to this file, which must not exist; when left out, to the terminal',
  resume: 'go on with a file that was cut off',
}

/** The flags that narrow an export, with the query parameter of each. */
const FILTERS = Object.entries(SettlementExportFilter.fields).map(([name, field]) => {
  const parameter = wireName(name, field)
  return { flag: flagOf(parameter), parameter, note: noteOf(field.codec.input) }
})

export const createExportCommand = singleAction('export', {
  summary: 'settlements, the ledger or charges in FOCUS columns, as CSV or JSON Lines',
  words: ['what'],
  optional: [...FILTERS.map(({ flag }) => flag), 'format', 'out'],
  switches: ['resume'],
  choices: { what: ['settlements', 'ledger', 'focus'], format: EXPORT_FORMATS },
  notes: { ...NOTES, ...Object.fromEntries(FILTERS.map(({ flag, note }) => [flag, note])) },
  examples: [
    'turnpike export settlements --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z --out october.csv',
    'turnpike export ledger --format jsonl --out ledger.jsonl --resume',
  ],
  run: async (call) => {
    const { terminal, asJson } = call
    const format = EXPORT_FORMATS.find((known) => known === call.flag('format')) ?? 'csv'
    const out = call.flag('out')
    const isResumed = call.has('resume')
    if (isResumed && out === undefined) throw new UsageError('--resume needs --out')
    const target = await openTarget(out, { format, isResumed })
    const query = new URLSearchParams({ format })
    for (const { flag, parameter } of FILTERS) {
      const value = call.flag(flag)
      if (value !== undefined) query.set(parameter, value)
    }
    if (target.cursor !== null) query.set('cursor', target.cursor)
    try {
      const response = await call.client.stream(`/exports/${call.said('what')}?${query}`)
      const bytes = await copy(response, target, terminal)
      const facts = { file: out, bytes }
      if (out !== undefined) {
        terminal.print(asJson ? writeJson(facts) : `${bytes} bytes were written to ${out}.\n`)
      }
    } finally {
      await target.file?.close()
    }
    return DONE
  },
})

interface Target {
  /** null for the terminal. */
  readonly file: FileHandle | null
  readonly cursor: string | null
}

async function openTarget(
  path: string | undefined,
  { format, isResumed }: { format: ExportFormat; isResumed: boolean },
): Promise<Target> {
  if (path === undefined) return { file: null, cursor: null }
  if (!existsSync(path)) return { file: await openFile(path, 'wx'), cursor: null }
  if (!isResumed) throw new UsageError(`${path} already exists; use --resume to continue it`)
  const { cursor, wholeBytes } = await readProgress(path, format)
  await truncate(path, wholeBytes)
  return { file: await openFile(path, 'a'), cursor }
}

async function openFile(path: string, flags: string): Promise<FileHandle> {
  try {
    return await open(path, flags)
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${codeOf(error)})`)
  }
}

/** Returns the number of bytes. */
async function copy(response: Response, { file }: Target, terminal: Terminal): Promise<number> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      if (file === null) terminal.print(decoder.decode(chunk, { stream: true }))
      else await file.appendFile(chunk)
      bytes += chunk.length
      if (file !== null) terminal.showProgress?.(`${megabytes(bytes)} written`)
    }
  } catch (error) {
    const advice = file === null ? '' : '; --resume goes on from there'
    throw new Error(`the export was cut off after ${bytes} bytes${advice}`, { cause: error })
  }
  return bytes
}
