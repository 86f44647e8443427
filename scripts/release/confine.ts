import { chmodSync, mkdirSync } from 'node:fs'

const NOBODY = '65534'

/**
 * The command that runs another one as an image does: as a user without any right, on a file system of which only `data`
 * can be written. Null where this cannot be made: it needs Linux and root.
 */
export function confine(command: readonly string[], data: string): readonly string[] | null {
  const tools = ['unshare', 'setpriv', 'mount'].every((tool) => Bun.which(tool) !== null)
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !tools) return null
  mkdirSync(data)
  chmodSync(data, 0o755)
  const script = [
    'set -e',
    'mount --make-rprivate /',
    // A copy of each mount, so that nothing of the machine itself changes.
    'for place in $(awk \'{print $5}\' /proc/self/mountinfo); do mount -o remount,bind,ro "$place" 2>/dev/null || true; done',
    `mount -t tmpfs -o uid=${NOBODY},gid=${NOBODY},mode=0700 data "$0"`,
    'if touch /tmp/written 2>/dev/null; then echo "/tmp can be written" >&2; exit 1; fi',
    `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --bounding-set=-all -- "$@"`,
  ].join('\n')
  return ['unshare', '--mount', 'sh', '-c', script, data, ...command]
}
