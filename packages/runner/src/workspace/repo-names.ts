/** A folder name for each URL: safe in paths and URLs, and unique even without case. */
export function nameRepos(urls: readonly string[]): string[] {
  const taken = new Set<string>()
  return urls.map((url) => {
    const wanted = nameRepo(url)
    let name = wanted
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${wanted}-${count}`
    taken.add(name.toLowerCase())
    return name
  })
}

function nameRepo(url: string): string {
  const path = url.replace(/[?#].*$/, '').replace(/[/\\]+$/, '')
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), path.lastIndexOf(':')) + 1)
  const safe = last
    .replace(/\.git$/i, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/[.-]+$/, '')
  return safe === '' || /\.git$/i.test(safe) ? `${safe.replace(/\.git$/i, '')}-repo`.replace(/^-/, '') : safe
}
