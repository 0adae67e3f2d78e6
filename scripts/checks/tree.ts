/**
 * Checks rules that no other program covers: the files name no machine and no registry, every test runs, and no folder of
 * code is so full that nobody finds anything in it.
 */
import { homedir, tmpdir } from 'node:os'
import { dirname, extname } from 'node:path'
import { projectFiles, root, textOf } from '../project-files.ts'

const binaryFiles = ['.zst', '.png', '.ico', '.woff2']

const rules: { problem: string; pattern: RegExp; files?: RegExp }[] = [
  { problem: 'a path of this machine', pattern: pathsOfThisMachine() },
  { problem: "a registry's address", pattern: /\bregistry\.[a-z-]+\.[a-z]|\bnpm\.pkg\.|\/-\/[\w.-]+\.tgz\b/ },
  {
    problem: 'a test that does not run',
    pattern: /\b(?:it|test|describe|suite)\.(?:only|skip|todo)\(|\{\s*(?:only|skip|todo): true/,
    files: /\.(?:test|proof)\.ts$/,
  },
]

/** The folder around the checkout and the home folder, if they identify a machine. */
function pathsOfThisMachine(): RegExp {
  const folders = [dirname(root), homedir()].filter((folder) => folder !== '/' && folder !== tmpdir())
  // Without such a folder: a pattern that matches nothing.
  return folders.length === 0
    ? /(?!)/
    : new RegExp(folders.map((folder) => `${RegExp.escape(folder)}/`).join('|'))
}

/** More than a reader takes in at a glance. */
const filesPerFolderMax = 20
/** Folders of code; the others are numbered series, guides and pictures. */
const codeFolders = /^(?:src|web|test|proofs|bench|scripts|packages)\//

function fullFolders(paths: readonly string[]): string[] {
  const byFolder = Map.groupBy(
    paths.filter((path) => codeFolders.test(path)),
    (path) => dirname(path),
  )
  return [...byFolder]
    .filter(([, files]) => files.length > filesPerFolderMax)
    .map(
      ([folder, files]) => `${folder}: ${files.length} files; make rooms, of at most ${filesPerFolderMax}\n`,
    )
}

const paths = projectFiles()
const problems = paths
  .filter((path) => !binaryFiles.includes(extname(path)))
  .flatMap((path) => {
    const applying = rules.filter(({ files }) => files === undefined || files.test(path))
    return textOf(path)
      .split('\n')
      .flatMap((line, index) =>
        applying
          .filter(({ pattern }) => pattern.test(line))
          .map(({ problem }) => `${path}:${index + 1}: ${problem}: ${line.trim().slice(0, 120)}\n`),
      )
  })
problems.push(...fullFolders(paths))
process.stdout.write(problems.join(''))
if (problems.length > 0) process.exitCode = 1
