export function readChangelog(text: string) {
  const heading = '## Unreleased\n'
  const start = text.indexOf(heading)
  if (start < 0) throw new Error('CHANGELOG.md has no section "Unreleased".')
  const from = start + heading.length
  const next = text.indexOf('\n## ', from)
  const end = next < 0 ? text.length : next + 1
  const body = text.slice(from, end)
  return {
    before: text.slice(0, from),
    body,
    lines: body.split('\n').filter((line) => line.trim() !== ''),
    after: text.slice(end),
  }
}

export function upgradeNotes(of: {
  from: string | undefined
  migrations: string[]
  lines: string[]
}): string[] {
  const own = of.lines.flatMap((line) => /^- Upgrading: (.+)$/.exec(line)?.[1] ?? [])
  // The first release has no earlier release to upgrade from, so its notes omit migrations.
  if (of.from === undefined) return own
  const numbers = of.migrations.map((path) => path.replace(/^.*\//, '').slice(0, 4)).sort()
  const range = numbers.length === 1 ? numbers[0] : `${numbers[0]} to ${numbers.at(-1)}`
  return [
    'Back up first (`npx kith backup FILE`), stop the server, take this version and start it.',
    numbers.length === 0
      ? `The database stays as ${of.from} left it: the way back is to start ${of.from} again.`
      : `${numbers.length} migration${numbers.length === 1 ? '' : 's'} (${range}) run at the first start; ${of.from} then refuses the database, so that the way back is the backup.`,
    ...own,
  ]
}

/** Headings of a section, with the prefixes of their lines below "Unreleased". Other lines are changes. */
const HEADINGS = { Added: 'Added: ', Changed: '', Fixed: 'Fixed: ', Security: 'Security: ' }
const PREFIX = /^- (Added|Fixed|Security|Upgrading): (.)/

function groupLines(lines: readonly string[]): string[] {
  return Object.entries(HEADINGS).flatMap(([heading, prefix]) => {
    const own = lines.filter(
      (line) => (PREFIX.exec(line)?.[1] ?? 'Changed') === (prefix ? heading : 'Changed'),
    )
    return list(
      heading,
      own.map((line) =>
        line.replace(PREFIX, (_, _prefix, first: string) => `- ${first.toUpperCase()}`).slice(2),
      ),
    )
  })
}

const list = (heading: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`### ${heading}\n\n${lines.map((line) => `- ${line}\n`).join('')}`]

/**
 * Turns the lines below "Unreleased" into the section of a version, with the headings of keepachangelog.com. A text that
 * has such headings already stays as it is.
 */
export function withRelease(
  text: string,
  { version, today, notes }: { version: string; today: string; notes: string[] },
): { text: string; section: string } {
  const { before, body, lines, after } = readChangelog(text)
  const changes = /^### /m.test(body) ? [`${body.trim()}\n`] : groupLines(lines)
  const section = [`## ${version} - ${today}\n`, ...changes, ...list('Upgrading', notes)].join('\n')
  return { text: `${before}\n${section}${after === '' ? '' : `\n${after}`}`, section }
}

/** Returns the section of a version, or that of Unreleased changes when the version has none yet. */
export function readSection(text: string, version: string): string {
  const start = text.indexOf(`## ${version} `)
  const from = start < 0 ? text.indexOf('## Unreleased') : start
  const next = text.indexOf('\n## ', from + 1)
  return text.slice(from, next < 0 ? undefined : next).trim()
}
