/** Values as code: for the shell, TypeScript and Python. */

export const KEY_VARIABLE = 'TURNPIKE_API_KEY'

/** In single quotes, so that the shell changes nothing. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** JSON is valid TypeScript, but reads better without quoted names. */
export function script(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
}

/** An object's fields as keyword arguments of a Python call. */
export function keywords(fields: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `    ${name}=${python(value, '    ')},`)
  return `\n${lines.join('\n')}\n`
}

function python(value: unknown, indent: string): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (typeof value !== 'object') return JSON.stringify(value)
  const deeper = `${indent}    `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${deeper}${python(item, deeper)},\n`).join('')}${indent}]`
  }
  const fields = Object.entries(value as object)
  return `{\n${fields.map(([name, item]) => `${deeper}${JSON.stringify(name)}: ${python(item, deeper)},\n`).join('')}${indent}}`
}

interface CurlCall {
  readonly url: string
  /** The key, or a variable that holds it. */
  readonly key: string
  readonly fields: object
  /** The file for the response, when it is not text. */
  readonly output?: string | undefined
}

export function curlJson(call: CurlCall): string {
  const { fields, output } = call
  return curl(call, [
    '-H "Content-Type: application/json"',
    `-d ${quote(JSON.stringify(fields))}`,
    ...(output === undefined ? [] : [`--output ${quote(output)}`]),
  ])
}

export interface FormFile {
  readonly field: string
  /** The name of the file. */
  readonly name: string
}

interface CurlFormCall extends CurlCall {
  readonly files: readonly FormFile[]
}

/** A form with files. */
export function curlForm(call: CurlFormCall): string {
  return curl(call, [
    ...Object.entries(call.fields).map(([name, value]) => `--form-string ${quote(`${name}=${value}`)}`),
    ...call.files.map(({ field, name }) => `-F ${quote(`${field}=@${name}`)}`),
  ])
}

function curl({ url, key }: CurlCall, parts: readonly string[]): string {
  return [`curl ${url}`, `-H "Authorization: Bearer ${key}"`, ...parts].join(' \\\n  ')
}
