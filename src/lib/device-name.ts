/** The first match wins, so Chrome and Safari follow browsers that also claim to be Chrome or Safari. */
const BROWSERS: [RegExp, string][] = [
  [/MicroMessenger\//, 'WeChat'],
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/okhttp\//i, 'Android app'],
  [/CFNetwork\//, 'iOS app'],
]
const SYSTEMS: [RegExp, string][] = [
  [/HarmonyOS/, 'HarmonyOS'],
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh|Darwin/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const nameOf = (names: [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? null

export type DeviceParts = { browser: string | null; system: string | null }

/**
 * Names the browser and the system of a user agent. Never quotes the user agent, because an attacker could put text
 * into mails of the site.
 */
export const deviceOf = (userAgent: string): DeviceParts => ({
  browser: nameOf(BROWSERS, userAgent),
  system: nameOf(SYSTEMS, userAgent),
})

/** Returns a name such as `Firefox on Windows`. */
export function deviceName({ browser, system }: DeviceParts): { en: string; zh: string } {
  if (browser && system) return { en: `${browser} on ${system}`, zh: `${system} 上的 ${browser}` }
  const one = browser ?? system
  return { en: one ?? 'unknown device', zh: one ?? '未知设备' }
}
