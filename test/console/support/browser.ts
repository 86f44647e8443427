import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildConsoleWhenStale } from '../../../scripts/build-console.ts'
import { findChromium } from '../../../scripts/tests/chromium.ts'

/** Null when there is none; `scripts/run-tests.ts` has then tried to install one, and said so. */
export const CHROMIUM = findChromium()

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const PATIENCE_MS = 30_000
export const DESKTOP = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Builds the console if need be, since its pages are what is looked at. */
export async function openBrowser(): Promise<Browser> {
  await buildConsoleWhenStale()
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
}

export interface Visit {
  readonly page: Page
  /** Whatever a person would not want to see happen: errors, refused styles, requests to elsewhere. */
  readonly complaints: string[]
  /** To be called when it was as it should be; a visit that failed keeps its traces to itself. */
  end(): Promise<void>
}

/** A visitor with cookies of their own. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium says this of every refusal; the page shows refusals in its own words.
    if (message.text().startsWith('Failed to load resource')) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog said ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) {
      complaints.push(`asked ${request.url()}`)
    }
  })
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`)
  })
  return { page, complaints, end: () => context.close() }
}

export interface Login {
  readonly email: string
  readonly password: string
}

/** Signs in through the page, and waits until the console is there. */
export async function signIn(page: Page, url: string, { email, password }: Login): Promise<void> {
  await page.goto(`${url}/console/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#main').waitFor()
}

/** The part of the page to look at, as a selector; all of it if there is none. */
type Part = string | null

/** What axe finds wrong with the page as it stands, one line for each rule. */
export function findBarriers(page: Page, part: Part = null): Promise<string[]> {
  return runAxe(page, part, { resultTypes: ['violations'] })
}

/** Only what another colour scheme can change. */
export function findFaintColours(page: Page, part: Part = null): Promise<string[]> {
  return runAxe(page, part, {
    resultTypes: ['violations'],
    runOnly: ['color-contrast', 'link-in-text-block'],
  })
}

async function runAxe(page: Page, part: Part, options: object): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  const context = part === null ? 'document' : JSON.stringify(part)
  return (await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`)) as string[]
}
