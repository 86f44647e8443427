import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { readSettings } from '../../../src/edges/settings/read-settings.ts'
import type { Settings } from '../../../src/edges/settings/settings.ts'
import { BUILT_IN_CATALOG } from '../../../src/rules/catalog/built-in/built-in-catalog.ts'

export const ROOT = join(import.meta.dirname, '../../..')

export function readRootFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Every document of a YAML file, with merge keys (`<<`) resolved. */
export function readYaml<T>(path: string): T[] {
  return parseAllDocuments(readRootFile(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join('\n')}`)
    return document.toJS() as T
  })
}

/** The variables of an env file. Suggestions in comments, such as `# NAME=value`, count when they are wanted. */
export function readEnvFile(path: string, { withSuggestions = false } = {}): Record<string, string> {
  const line = withSuggestions ? /^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$/gm : /^([A-Z][A-Z0-9_]+)=(.*)$/gm
  return Object.fromEntries(
    [...readRootFile(path).matchAll(line)].map(([, name = '', value]) => [name, value ?? '']),
  )
}

/** What a person makes of an example: every place holder replaced. */
export function fillIn(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replaceAll('change-me', '5'.repeat(32))]),
  )
}

/** The settings these variables make, by the gateway's own reader. A name the gateway never reads is a mistake. */
export function settingsOf(environment: Readonly<Record<string, string>>): Settings {
  const unknown = Object.keys(environment).filter((name) => !isKnown(name))
  if (unknown.length > 0) throw new Error(`the gateway reads no ${unknown.join(', ')}`)
  return readSettings(environment)
}

function isKnown(name: string): boolean {
  return VENDOR_KEYS.has(name) || SETTINGS_SOURCE.some((text) => text.includes(`'${name}'`))
}

const VENDOR_KEYS = new Set(BUILT_IN_CATALOG.vendors.flatMap((vendor) => vendor.key_variables))
const SETTINGS_SOURCE = [...new Bun.Glob('src/edges/settings/*.ts').scanSync(ROOT)]
  .filter((path) => !path.endsWith('.test.ts'))
  .map(readRootFile)
