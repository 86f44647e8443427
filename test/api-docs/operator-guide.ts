import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const GUIDE_PATH = join(import.meta.dirname, '../../docs/reference/operator-api.md')

/** A fenced block of the guide, and the heading it stands under. */
export interface Block {
  readonly heading: string
  readonly language: string
  readonly text: string
}

export function readGuide(): Block[] {
  const blocks: Block[] = []
  let heading = ''
  const found = readFileSync(GUIDE_PATH, 'utf8').matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)
  for (const [, title, language = '', text = ''] of found) {
    if (title !== undefined) heading = title
    else blocks.push({ heading, language, text })
  }
  return blocks
}

const MARK = '=== end of block'

/** Pastes the shell blocks one after another into one shell, and gives what each printed. */
export async function pasteBlocks(blocks: readonly Block[], place: { url: string; token: string }) {
  const script = blocks
    .map(({ text }) => `${text}printf '\\n%s\\n' '${MARK}'\n`)
    .join('')
    .replace('http://127.0.0.1:8080', place.url)
    .replace('<operator token>', place.token)
  const shell = Bun.spawn(['sh', '-eu'], { stdin: Buffer.from(script), stdout: 'pipe', stderr: 'pipe' })
  const [output, complaints] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ])
  if (shell.exitCode !== 0) throw new Error(`the shell failed: ${complaints}\n${output}`)
  return output.split(MARK).map((printed) => printed.trim())
}
