import { registerHooks } from 'node:module'

export type Replacement = { file: string; from: string; to: string }

/** From here on modules are loaded with changed source. For deliberate breaks, preloaded into a service. */
export function replaceSource(replacements: readonly Replacement[]): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const here = replacements.filter(({ file }) => url.endsWith(`/${file}`))
      if (here.length === 0) return loaded
      let source = textOf(loaded.source)
      for (const { file, from, to } of here) {
        if (!source.includes(from)) throw new Error(`${file} has changed: the break does not fit it any more`)
        source = source.replace(from, to)
      }
      return { ...loaded, source }
    },
  })
}

function textOf(source: unknown): string {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return Buffer.from(source).toString()
  throw new TypeError('a module without a source')
}
