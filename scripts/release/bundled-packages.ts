import type { BuildOutput } from 'bun'

/** Folders of the npm packages whose files are in a bundle, such as `node_modules/react`. Needs its metafile. */
export function findBundledPackages(outputs: readonly BuildOutput[]): string[] {
  const files = outputs.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  return [...new Set(files.flatMap((path) => packageFolderOf(path) ?? []))].sort()
}

/** The innermost package: one may hold others of its own. */
function packageFolderOf(path: string): string | null {
  const parts = path.replaceAll('\\', '/').split('/')
  const first = parts.indexOf('node_modules')
  const last = parts.lastIndexOf('node_modules')
  if (first === -1) return null
  const nameLength = parts[last + 1]?.startsWith('@') ? 2 : 1
  return parts.slice(first, last + 1 + nameLength).join('/')
}
