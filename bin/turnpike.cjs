#!/usr/bin/env node
// Runs the gateway with the Bun that npm installed beside it. Plain JavaScript, since any Node must be able to read it.
'use strict'

const { spawn } = require('node:child_process')
const { createRequire } = require('node:module')
const { existsSync, statSync } = require('node:fs')
const { constants } = require('node:os')
const { dirname, join } = require('node:path')

// A clone has the sources, a package only what was made of them.
const PROGRAMS = ['src/cli/turnpike.ts', 'dist/package/turnpike.js'].map((path) =>
  join(__dirname, '..', path),
)
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']
const LOOK_FOR_PARENT_MS = 500
// What is there until the install script of `bun` has run is a text of a few lines.
const LEAST_BYTES = 1_000_000

/** Where Bun may be: in its package, or in that of this platform when install scripts are off. */
function placesOfBun() {
  const bun = folderOf('bun', require)
  if (bun === null) return []
  const { platform, arch } = process
  const system = { win32: 'windows' }[platform] || platform
  const machine = { arm64: 'aarch64' }[arch] || arch
  const requireBesideBun = createRequire(join(bun, 'package.json'))
  const runtimes = ['', '-musl']
    .map((suffix) => folderOf(`@oven/bun-${system}-${machine}${suffix}`, requireBesideBun))
    .filter((folder) => folder !== null)
  return [
    join(bun, 'bin', 'bun.exe'),
    ...runtimes.map((folder) => join(folder, 'bin', platform === 'win32' ? 'bun.exe' : 'bun')),
  ]
}

function folderOf(name, requireFrom) {
  try {
    return dirname(requireFrom.resolve(`${name}/package.json`))
  } catch {
    return null
  }
}

function isProgram(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() && found.size > LEAST_BYTES
}

function giveUp(reason) {
  const { platform, arch, version } = process
  process.stderr.write(
    [
      `turnpike: ${reason} (${platform} ${arch}, Node ${version}).`,
      'Turnpike runs on Bun, which npm installs as an optional package for this platform. Install it again with',
      '  npm install --include=optional turnpike',
      'or take the single program or the image, which need neither Node nor npm: docs/operations/install.md',
      '',
    ].join('\n'),
  )
  process.exit(1)
}

function main() {
  const bun = placesOfBun().find(isProgram)
  if (bun === undefined) return giveUp('its runtime, the npm package bun, is not installed')
  const isUnderNpm = process.env.npm_command !== undefined
  const child = spawn(bun, [PROGRAMS.find((path) => existsSync(path)), ...process.argv.slice(2)], {
    stdio: 'inherit',
    // By this the gateway knows that another process passes signals on to it, and looks whether that one still lives.
    env: { ...process.env, npm_command: process.env.npm_command || 'exec' },
  })
  child.on('error', ({ message }) => giveUp(`its runtime could not be run: ${message}`))
  // Windows hands Ctrl+C to both processes, and what is sent here would end the gateway without a word.
  const pass = (signal) => (process.platform === 'win32' ? false : child.kill(signal))
  for (const signal of FORWARDED) process.on(signal, () => pass(signal))
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
  if (isUnderNpm) whenParentEnds(() => pass('SIGTERM'))
}

/** The shell of npm passes no SIGTERM on: it ends, and leaves this process behind. */
function whenParentEnds(act) {
  const parentId = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parentId) return
    clearInterval(timer)
    act()
  }, LOOK_FOR_PARENT_MS)
  timer.unref()
}

main()
