/**
 * The command that runs npm with these arguments. A script that npm runs is told where npm's own program is, which needs no
 * shell; on Windows the `npm` of the command line does.
 */
export function npmCommand(...args: readonly string[]): string[] {
  const program = process.env.npm_execpath
  return program === undefined ? ['npm', ...args] : ['node', program, ...args]
}
