import { ROOT } from '../sources.ts'
import type { ShippedPackage } from './notices.ts'
import { npmCommand } from './npm-command.ts'

/** The parts of a CycloneDX document that are changed here. */
interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly properties: readonly { readonly name: string }[]
}

/** Npm calls a package that is bundled one of development, since nobody who installs the program needs it. */
const IS_DEVELOPMENT = 'cdx:npm:package:development'

/** A CycloneDX list of what a release contains: what npm makes of package-lock.json, without packages that are not in it. */
export async function makeSbom(shipped: readonly ShippedPackage[]): Promise<string> {
  const child = Bun.spawn(npmCommand('sbom', '--sbom-format=cyclonedx', '--package-lock-only'), {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  if (exitCode !== 0) throw new Error(`npm sbom failed with ${exitCode}`)
  return `${JSON.stringify(keepShipped(JSON.parse(text) as Bom, shipped), null, 2)}\n`
}

export function keepShipped(bom: Bom, shipped: readonly ShippedPackage[]): Bom {
  const ids = new Set(shipped.map(({ name, version }) => `${name}@${version}`))
  const components = bom.components
    .filter(({ name, version }) => ids.has(`${name}@${version}`))
    .map((component) => ({
      ...component,
      scope: 'required',
      properties: component.properties.filter(({ name }) => name !== IS_DEVELOPMENT),
    }))
  const own = bom.metadata.component['bom-ref']
  const refs = new Set([own, ...components.map((component) => component['bom-ref'])])
  return {
    ...bom,
    // Npm names it after the folder it is in.
    metadata: {
      ...bom.metadata,
      component: { ...bom.metadata.component, type: 'application', name: 'turnpike' },
    },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  }
}
