import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../../../package.json' with { type: 'json' }
import { openDataFolder, renameSynced } from '../../../edges/settings/data-folder.ts'
import { readSettings } from '../../../edges/settings/read-settings.ts'
import type { Settings } from '../../../edges/settings/settings.ts'
import {
  holdsAccounts,
  type OnRows,
  prepareCopy,
  readBackupFacts,
  restoreToServer,
  writeBackup,
} from '../../../edges/storage/backup/index.ts'
import { embeddedFile } from '../../../edges/storage/engines/open-database.ts'
import { singleAction } from '../../action-group.ts'
import { codeOf, DONE, type Terminal, UsageError } from '../../command.ts'
import { explained } from '../../nearby-gateway.ts'
import { requireDatabase } from '../../offline-database.ts'
import { megabytes, printFacts } from '../../print-table.ts'
import { emptyFolder, isFilled, readKeptFiles, writeKeptFiles } from './kept-files.ts'

export const createBackupCommand = singleAction('backup', {
  summary:
    'write the database and the secrets and journals of the data folder to a file, while the gateway runs or not',
  words: ['file'],
  switches: ['force'],
  notes: { file: 'the new file; keep it as secret as the data folder', force: 'replace a file that exists' },
  examples: [
    'turnpike backup turnpike-2026-11-17.backup',
    'turnpike backup /mnt/backups/latest --force --json',
  ],
  run: async (call) => {
    const { environment, terminal } = call
    const file = call.said('file')
    const settings = readSettings(environment)
    requireDatabase(settings)
    if (existsSync(file) && !call.has('force')) throw new UsageError(`${file} exists; --force replaces it`)
    const kept = await backUp(settings, file, terminal)
    const engine = settings.databaseUrl === null ? 'sqlite' : 'postgresql'
    const bytes = statSync(file).size
    const facts = { file, engine, bytes, files: kept, has_server_secret: kept.includes('server-secret') }
    printFacts(call, facts, {
      file,
      database: engine,
      size: megabytes(bytes),
      'files beside it': kept.length,
      'server secret': facts.has_server_secret ? 'inside' : 'not inside: keep TURNPIKE_SECRET with it',
    })
    return DONE
  },
})

/** Returns the files of the data folder that are in it. */
async function backUp(settings: Settings, file: string, terminal: Terminal): Promise<string[]> {
  const { databaseUrl, dataFolder } = settings
  const unfinished = `${file}.unfinished`
  try {
    rmSync(unfinished, { force: true })
    // Journals first: what they hold goes to the database, and a file that is gone by then was stored there.
    const files = existsSync(dataFolder) ? readKeptFiles(dataFolder) : []
    terminal.showProgress?.('Copying the database …')
    const facts = { version: packageJson.version, madeAt: new Date().toISOString() }
    await writeBackup({ databaseUrl, dataFolder, files, facts }, unfinished, progressOn(terminal))
    renameSynced(unfinished, file)
    return files.map(({ path }) => path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (['ENOENT', 'EACCES', 'ENOSPC', 'EROFS'].includes(codeOf(error))) {
      throw new UsageError(`${file} cannot be written (${codeOf(error)})`)
    }
    throw explained(error, settings)
  }
}

function progressOn(terminal: Terminal): OnRows {
  return (table, rows) => terminal.showProgress?.(`${table}: ${rows} rows`)
}

export const createRestoreCommand = singleAction('restore', {
  summary: 'put a backup into the data folder and database of this environment; stop the gateway first',
  words: ['file'],
  switches: ['force'],
  notes: {
    file: 'what `turnpike backup` has written, on SQLite or PostgreSQL',
    force: 'replace everything that is in the data folder and the database',
  },
  examples: ['turnpike restore turnpike-2026-11-17.backup', 'turnpike restore turnpike.backup --force'],
  run: async (call) => {
    const { environment, terminal } = call
    const file = call.said('file')
    if (!existsSync(file)) throw new UsageError(`${file} does not exist`)
    const facts = readBackupFacts(file)
    const settings = readSettings(environment)
    const files = await restore(settings, { file, isForced: call.has('force'), terminal })
    const { databaseUrl, dataFolder } = settings
    const engine = databaseUrl === null ? 'sqlite' : 'postgresql'
    printFacts(
      call,
      { file, made_at: facts.madeAt, version: facts.version, engine, data_folder: dataFolder, files },
      {
        restored: file,
        'made at': facts.madeAt,
        'by version': facts.version,
        database: engine,
        'data folder': dataFolder,
        next: `start the gateway, then 'turnpike ledger verify'${settings.redisUrl === null ? '' : '; empty Redis (FLUSHDB) before'}`,
      },
    )
    return DONE
  },
})

interface Restoring {
  readonly file: string
  readonly isForced: boolean
  readonly terminal: Terminal
}

const COPY_NAME = 'turnpike.db.restored'

/** Refuses a data folder that a gateway uses. What is there is replaced only once the whole backup was read. */
async function restore(settings: Settings, { file, isForced, terminal }: Restoring): Promise<string[]> {
  const { databaseUrl } = settings
  const folder = openDataFolder(settings.dataFolder)
  const copyPath = join(folder.path, COPY_NAME)
  try {
    if (!isForced) await requireEmpty(settings)
    terminal.showProgress?.('Reading the backup …')
    const copy = await prepareCopy(file, copyPath)
    if (databaseUrl !== null) await restoreToServer(copy, databaseUrl, progressOn(terminal))
    emptyFolder(folder.path, COPY_NAME)
    // The secret is there before what it seals.
    writeKeptFiles(folder.path, copy.files)
    if (databaseUrl === null) renameSync(copyPath, embeddedFile(folder.path))
    return copy.files.map(({ path }) => path)
  } catch (error) {
    throw error instanceof UsageError ? error : explained(error, settings)
  } finally {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${copyPath}${ending}`, { force: true })
    folder.release()
  }
}

async function requireEmpty({ databaseUrl, dataFolder }: Settings): Promise<void> {
  if (isFilled(dataFolder)) {
    throw new UsageError(`${JSON.stringify(dataFolder)} is not empty; --force replaces what is in it`)
  }
  if (databaseUrl !== null && (await holdsAccounts(databaseUrl))) {
    throw new UsageError('the database of DATABASE_URL has accounts; --force replaces everything in it')
  }
}
