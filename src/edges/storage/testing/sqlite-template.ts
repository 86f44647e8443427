import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedFile, openDatabase } from '../engines/open-database.ts'

let template: Promise<Uint8Array> | null = null

/** Puts a database with the schema and nothing else into the folder; a copy costs an eighth of a new schema. */
export async function layDatabase(dataFolder: string): Promise<void> {
  template ??= makeTemplate()
  writeFileSync(embeddedFile(dataFolder), await template, { mode: 0o600 })
}

async function makeTemplate(): Promise<Uint8Array> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'turnpike-template-'))
  try {
    const database = await openDatabase({ databaseUrl: null, dataFolder }, 'template')
    // The last one to close it writes its log into the file.
    await database.close()
    return readFileSync(embeddedFile(dataFolder))
  } finally {
    rmSync(dataFolder, { recursive: true })
  }
}
