import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { projectFiles } from '../../../scripts/project-files.ts'
import { root } from '../files.ts'

/**
 * Carries out deploy/Dockerfile without a container engine: each stage is a folder, COPY copies, and RUN runs in the stage's
 * folder. Commands that change the machine (users, tools) are left out, and so is what the checkout has done already: installing
 * packages, unless `isLiteral`.
 */

export type Instruction = { name: string; text: string }
export type Stage = { name: string; base: string; instructions: Instruction[] }

/** The build arguments with their defaults, and the stages in order. */
export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    const [, base = '', stage = ''] = name === 'FROM' ? (/^(\S+) AS (\S+)$/.exec(text) ?? []) : []
    if (name === 'FROM') stages.push({ name: stage, base, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, text })
  }
  return stages
}

type Replay = { folder: string; path: string; isLiteral: boolean }

/** Returns the folder of a stage. */
export function replayStages(
  stages: readonly Stage[],
  { folder, path, isLiteral }: Replay,
): (name: string) => string {
  const folderOf = (name: string): string => join(folder, name)
  for (const { name, instructions } of stages) {
    let workFolder = folderOf(name)
    mkdirSync(workFolder, { recursive: true })
    for (const { name: kind, text } of instructions) {
      if (kind === 'WORKDIR') {
        workFolder = join(folderOf(name), text)
        mkdirSync(workFolder, { recursive: true })
      }
      if (kind === 'COPY') copy(text, folderOf, name, workFolder)
      if (kind !== 'RUN' || text.includes('useradd') || text.includes('apt-get')) continue
      if (!isLiteral && text.startsWith('npm ci'))
        link(join(root, 'node_modules'), join(workFolder, 'node_modules'))
      else
        execFileSync('sh', ['-ec', text], {
          cwd: workFolder,
          env: { ...process.env, PATH: path },
          stdio: 'pipe',
        })
    }
  }
  return folderOf
}

function copy(text: string, folderOf: (name: string) => string, stage: string, workFolder: string): void {
  if (text === '. .') return copyContext(workFolder)
  const [, from = '', places = ''] = /^--from=(\S+) (.*)$/.exec(text) ?? []
  const paths = places.split(' ')
  const to = join(folderOf(stage), paths.pop() ?? '')
  for (const path of paths) {
    const target = to.endsWith('/') && paths.length > 1 ? join(to, path.split('/').at(-1) ?? '') : to
    mkdirSync(dirname(target), { recursive: true })
    // Hard links: the files are large, and only read from here on.
    execFileSync('cp', ['-a', '-l', '-T', join(folderOf(from), path), target])
  }
}

/** The files that .dockerignore lets through: it names what belongs to the image, not what doesn't. */
function copyContext(into: string): void {
  const named = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .flatMap((line) => globSync(line.slice(1), { cwd: root }))
  for (const path of projectFiles().filter((one) =>
    named.some((of) => one === of || one.startsWith(`${of}/`)),
  )) {
    mkdirSync(dirname(join(into, path)), { recursive: true })
    cpSync(join(root, path), join(into, path))
  }
}

function link(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${relative(root, from)} is missing: npm ci`)
  execFileSync('cp', ['-a', '-l', from, to])
}

/** Whether the slim image's Node loses its symbols here too: binutils is not on every machine. */
export const hasStrip = existsSync('/usr/bin/strip')

/** A folder with nothing but Node and npm, as the base image has them on its path. */
export function binFolder(folder: string): string {
  mkdirSync(folder)
  symlinkSync(process.execPath, join(folder, 'node'))
  const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim()
  if (!hasStrip) symlinkSync('/bin/true', join(folder, 'strip'))
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\nexec "${process.execPath}" "${npm}" "$@"\n`, { mode: 0o755 })
  return folder
}
