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

const nameOf = (names: [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns a name such as `Firefox on Windows`. Never quotes the user agent, because an attacker could put
 * text into mails of the site.
 */
export function deviceName(userAgent: string): string | undefined {
  const [browser, system] = [nameOf(BROWSERS, userAgent), nameOf(SYSTEMS, userAgent)]
  return browser && system ? `${browser} on ${system}` : (browser ?? system)
}
