import { existsSync } from 'node:fs'
import { type FileHandle, open, truncate } from 'node:fs/promises'
import {
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../edges/management-api/operator/reports/export-format.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { SettlementFilter } from '../../vocabulary/settlement.ts'
import { wireName } from '../../vocabulary/shape.ts'
import { type Command, codeOf, parseOptions, type Terminal, UsageError } from '../command.ts'
import { readProgress } from '../exported-file.ts'
import { flagOf } from '../operator-action.ts'
import { connectFromEnvironment } from '../operator-client.ts'

/** The flags that narrow an export, with the query parameter of each. */
const FILTERS = Object.entries(SettlementFilter.fields).map(([name, field]) => {
  const parameter = wireName(name, field)
  return { flag: flagOf(parameter), parameter }
})

const OPTIONS = {
  ...Object.fromEntries(FILTERS.map(({ flag }) => [flag, { type: 'string' as const }])),
  format: { type: 'string', default: 'csv' },
  out: { type: 'string' },
  resume: { type: 'boolean', default: false },
} as const

const USAGE =
  `usage: turnpike export settlements|ledger|focus ${FILTERS.map(({ flag }) => `[--${flag} …]`).join(' ')} ` +
  '[--format csv|jsonl] [--out file [--resume]]'

export function createExportCommand(environment: Environment): Command {
  return {
    name: 'export',
    summary:
      'settlements, the ledger or charges in FOCUS columns, as CSV or JSON Lines (--from, --to, --format, --out, --resume)',
    async run([what = '', ...args], terminal) {
      if (!['settlements', 'ledger', 'focus'].includes(what)) throw new UsageError(USAGE)
      const flags = parseOptions(args, OPTIONS)
      const format = readFormat(flags.format)
      if (flags.resume && flags.out === undefined) throw new UsageError('--resume needs --out')
      const target = await openTarget(flags.out, { format, isResumed: flags.resume })
      const query = new URLSearchParams({ format })
      for (const { flag, parameter } of FILTERS) {
        const value = (flags as Readonly<Record<string, unknown>>)[flag]
        if (typeof value === 'string') query.set(parameter, value)
      }
      if (target.cursor !== null) query.set('cursor', target.cursor)
      try {
        const response = await connectFromEnvironment(environment).stream(`/exports/${what}?${query}`)
        const bytes = await copy(response, target, terminal)
        if (flags.out !== undefined) terminal.print(`${bytes} bytes were written to ${flags.out}.\n`)
      } finally {
        await target.file?.close()
      }
      return 0
    },
  }
}

function readFormat(text: string): ExportFormat {
  const format = EXPORT_FORMATS.find((known) => known === text)
  if (format === undefined)
    throw new UsageError(`--format takes ${EXPORT_FORMATS.join(' or ')}, not '${text}'`)
  return format
}

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
    }
  } catch (error) {
    const advice = file === null ? '' : '; --resume goes on from there'
    throw new Error(`the export was cut off after ${bytes} bytes${advice}`, { cause: error })
  }
  return bytes
}
