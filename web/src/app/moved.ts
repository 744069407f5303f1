const MOVED: [string, string][] = [
  ['/feeds', '/'],
  ['/feed', '/'],
  ['/feed/:id', '/feeds/:id'],
  ['/topic', '/topics'],
  ['/topic/:id', '/feed-topics/:id'],
  ['/question', '/questions'],
  ['/question-topics', '/questions'],
  ['/question/topic', '/questions'],
  ['/question/topic/:id', '/question-topics/:id'],
  ['/question/:id', '/questions/:id'],
  ['/question/:question/answer/:id', '/question-answers/:id'],
  ['/questions/:question/answers/:id', '/question-answers/:id'],
  ['/group', '/groups'],
  ['/group/:id', '/groups/:id'],
  ['/group/:group/post/:id', '/groups/:group/posts/:id'],
  ['/users', '/search'],
  ['/user', '/me'],
  ['/user/:id', '/users/:id'],
  ...['feed', 'news', 'group', 'question', 'q-a', 'follow', 'following', 'follower'].flatMap(
    (list): [string, string][] => [
      [`/users/:id/${list}`, '/users/:id'],
      [`/user/:id/${list}`, '/users/:id'],
    ],
  ),
  ['/people', '/search'],
  ['/people/1', '/people/popular'],
  ['/people/2', '/people/new'],
  ['/people/:id', '/people'],
  ['/rank', '/ranks'],
  ['/rank/*', '/ranks'],
  ['/search/:kind', '/search'],
  ['/search/:kind/:words', '/search?q=:words'],
  ['/user/collect-:kind', '/saved'],
  ['/music/specials/:id', '/music_specials/:id'],
  ['/feeds/:id/likers', '/feeds/:id'],
  ['/auth/login', '/sign-in'],
  ['/auth/register', '/join'],
  ['/register', '/join'],
  ['/auth/find', '/forgotten-password'],
  ['/forget-password', '/forgotten-password'],
  ['/message', '/notifications'],
  ['/message/*', '/notifications'],
  ['/setting', '/settings'],
  ['/setting/*', '/settings'],
  ['/settings/*', '/settings'],
  // Password managers open this path (https://w3c.github.io/webappsec-change-password-url/).
  ['/.well-known/change-password', '/settings'],
]

const patternOf = (path: string) =>
  new RegExp(
    `^${path.replace('/*', '/.*').replace(/:\w+/g, (name) => `(?<${name.slice(1)}>${name === ':id' ? '\\d{1,15}' : '[^/]+'})`)}/?$`,
  )
const PATTERNS = MOVED.map(([from, to]) => [patternOf(from), to] as const)

export function movedTo(path: string): string | undefined {
  for (const [pattern, to] of PATTERNS) {
    const { groups } = pattern.exec(path) ?? {}
    if (pattern.test(path)) return to.replace(/:(\w+)/g, (_, name: string) => groups?.[name] ?? '')
  }
  return undefined
}
