import { accessSync, constants } from 'node:fs'
import { findJournals, type JournalSource } from '../../edges/journal/journal-folders.ts'
import { JournalSummary, summarizeJournal } from '../../edges/journal/read-journal.ts'
import {
  accountsIn,
  lockSource,
  NOTHING_REPLAYED,
  type Replayed,
  type ReplayTarget,
  replayJournal,
  sumReplayed,
} from '../../edges/journal/replay-journal.ts'
import { readCurrencyName } from '../../edges/settings/service-settings.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type ActionCall, actionGroup } from '../action-group.ts'
import { FAILED, type Terminal, UsageError } from '../command.ts'
import { withReplayTarget } from '../offline-database.ts'
import { writeJson } from '../print-table.ts'

const NOTES = { 'file or folder': 'a file of a journal, its folder, or a whole data folder' }

export const createJournalCommand = actionGroup('journal', {
  summary: 'what a dead node left behind, in a file or folder',
  actions: {
    replay: {
      words: ['file or folder'],
      summary: 'store it in the database of this environment',
      notes: NOTES,
      examples: ['turnpike journal replay /mnt/dead-node/data'],
      run: async (call) => {
        const sources = readSources(call)
        const replayed = await withReplayTarget(call.environment, (target) =>
          replayAll(sources, target, call.terminal),
        )
        call.terminal.print(call.asJson ? writeJson(replayed) : tellReplayed(replayed))
        return replayed.refused.length === 0 ? 0 : FAILED
      },
    },
    show: {
      words: ['file or folder'],
      summary: 'tell what is in it',
      notes: NOTES,
      examples: ['turnpike journal show /mnt/dead-node/data', 'turnpike journal show journal --json'],
      run: async (call) => {
        const summaries = readSources(call).map((source) => JournalSummary.show(summarizeJournal(source)))
        call.terminal.print(
          call.asJson
            ? writeJson(summaries)
            : summaries.map((summary) => describeSummary(summary, currencyOf(call))).join(''),
        )
      },
    },
  },
})

function readSources({ said }: ActionCall): readonly JournalSource[] {
  const path = said('file or folder')
  const sources = findJournals(path)
  if (sources === null) throw new UsageError(`there is no journal at ${JSON.stringify(path)}`)
  for (const file of sources.flatMap(({ files }) => files)) requireReadable(file)
  return sources
}

function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch {
    throw new UsageError(`${JSON.stringify(file)} cannot be read by this user`)
  }
}

async function replayAll(
  sources: readonly JournalSource[],
  target: ReplayTarget,
  terminal: Terminal,
): Promise<Replayed> {
  // If one of several does not belong here, none is stored.
  for (const source of sources) await requireOwn(source, target)
  let sum = NOTHING_REPLAYED
  for (const [index, source] of sources.entries()) {
    terminal.showProgress?.(`Replaying journal ${index + 1} of ${sources.length} …`)
    const lock = lockSource(source)
    if (lock === null) {
      throw new UsageError(`a running gateway writes the journal in ${JSON.stringify(source.folder)}`)
    }
    try {
      sum = sumReplayed(sum, await replayJournal(source, target))
    } finally {
      lock.release()
    }
  }
  return sum
}

const MOST_NAMED = 3

/** Accounts are never removed, so a journal with unknown accounts belongs to another installation. */
async function requireOwn(source: JournalSource, target: ReplayTarget): Promise<void> {
  const strangers = await target.findStrangers(accountsIn(source))
  if (strangers.length === 0) return
  const named = strangers.slice(0, MOST_NAMED).join(', ')
  throw new UsageError(
    `the journal in ${JSON.stringify(source.folder)} is not of this database, which does not know ${strangers.length} of its accounts: ${named}`,
  )
}

function tellReplayed({ added, known, interrupted, damaged, refused }: Replayed): string {
  const lines = [
    `New: ${added}. Known before: ${known}. Interrupted: ${interrupted}. Damaged lines: ${damaged}.`,
  ]
  if (refused.length > 0) {
    lines.push(`The database refused ${refused.length}: ${refused.join(', ')}.`)
  }
  lines.push('The files are as they were; to replay them again changes nothing.')
  return `${lines.join('\n')}\n`
}

function currencyOf({ environment }: ActionCall): string {
  return readCurrencyName({ text: (name) => environment[name] || null })
}

function describeSummary(summary: Shown<typeof JournalSummary>, currency: string): string {
  const { folder, files, bytes, settled, under_way, damaged, first_ended_at, last_ended_at, amount } = summary
  const span = first_ended_at === null ? '' : `, from ${first_ended_at} to ${last_ended_at}`
  return (
    `${folder}: ${files} files, ${bytes} bytes\n` +
    `  ${settled} settlements (${amount} ${currency})${span}\n` +
    `  ${under_way} requests under way, ${damaged} damaged lines\n`
  )
}
