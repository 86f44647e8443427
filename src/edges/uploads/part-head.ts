/** What the head of a form's part says of it. */
export interface PartHead {
  readonly name: string
  /** null: the part is not a file. */
  readonly fileName: string | null
}

// A quoted value may hold anything but its own end; clients write a quote in it as \" or as %22.
const PARAMETER = /;\s*([\w!#$&+^`|~.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*/y
const LONGEST_FILE_NAME = 255

/** Reads a `content-disposition`, given as its bytes; null when it is not that of a form's part or has no name. */
export function readPartHead(disposition: string | undefined): PartHead | null {
  const beginning = /^\s*form-data\s*(?=;)/i.exec(disposition ?? '')
  if (disposition === undefined || beginning === null) return null
  const parameters = readParameters(disposition, beginning[0].length)
  const name = parameters?.get('name')
  if (parameters === null || name === undefined || name === '') return null
  const fileName = parameters.get('filename') ?? parameters.get('filename*')
  return { name, fileName: fileName === undefined ? null : bareName(fileName) }
}

/** null when it is not well-formed to its end: a half-read name would be a wrong one. */
function readParameters(text: string, start: number): Map<string, string> | null {
  const parameters = new Map<string, string>()
  let position = start
  while (position < text.length) {
    PARAMETER.lastIndex = position
    const match = PARAMETER.exec(text)
    const name = match?.[1]?.toLowerCase() ?? ''
    const value = match && decodeValue(match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? match[3] ?? '')
    if (match === null || value === null || parameters.has(name)) return null
    parameters.set(name, value)
    position = PARAMETER.lastIndex
  }
  return parameters
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decodeValue(binary: string): string | null {
  try {
    return decoder.decode(Buffer.from(binary, 'latin1'))
  } catch {
    return null
  }
}

/** Some clients send whole paths; of those only the last part is anybody's business. */
function bareName(fileName: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not pass.
  const visible = fileName.replaceAll(/[\u0000-\u001f\u007f]/g, '')
  return (visible.split(/[/\\]/).at(-1) ?? '').slice(-LONGEST_FILE_NAME)
}
