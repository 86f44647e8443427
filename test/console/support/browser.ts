import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildConsoleWhenStale } from '../../../scripts/build-console.ts'
import { findChromium } from '../../../scripts/tests/chromium.ts'

/** Null without a browser. `scripts/run-tests.ts` tries to install one and warns if it cannot. */
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
const PATIENCE_MS = 60_000
export const DESKTOP = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Builds the console if needed. */
export async function openBrowser(): Promise<Browser> {
  await buildConsoleWhenStale()
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
}

export interface Visit {
  readonly page: Page
  /** Problems: script errors, policy violations, requests to other hosts. */
  readonly problems: string[]
  /** Call this on success only; a failed visit is not reused. */
  end(): Promise<void>
}

/** A visitor with separate cookies. */
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
  const problems: string[] = []
  page.on('console', (message) => {
    // An interface of this machine has changed, which no page can help.
    if (message.text().includes('net::ERR_NETWORK_CHANGED')) return
    // Chromium logs this for every error response; the page shows its own message. Parts of the page must be there.
    const isPart = message.location().url.includes('/assets/')
    if (message.text().startsWith('Failed to load resource') && !isPart) return
    const where = isPart ? ` ${message.location().url}` : ''
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`${message.text()}${where}`)
  })
  page.on('dialog', (dialog) => {
    // The browser's own question about a form that was begun: a test that leaves it means to.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    problems.push(`a dialog said ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) {
      problems.push(`asked ${request.url()}`)
    }
  })
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`)
  })
  return { page, problems, end: () => context.close() }
}

export interface Login {
  readonly email: string
  readonly password: string
}

/** Signs in through the page and waits for the console. */
export async function signIn(page: Page, url: string, { email, password }: Login): Promise<void> {
  await page.goto(`${url}/console/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#main').waitFor()
}

/** A selector for the part to check; the whole page by default. */
type Part = string | null

/** The axe violations of the page, one line per rule. */
export async function findAccessibilityIssues(page: Page, part: Part = null): Promise<string[]> {
  return runAxe(page, part === null ? 'document' : JSON.stringify(part), { resultTypes: ['violations'] })
}

/** Only the rules that depend on the colour scheme. The elements are an expression of the page's script. */
export async function findContrastIssues(page: Page, elements: string): Promise<string[]> {
  const rules = ['color-contrast', 'link-in-text-block']
  return runAxe(page, elements, { resultTypes: ['violations'], runOnly: rules })
}

async function runAxe(page: Page, context: string, options: object): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  return (await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`)) as string[]
}
