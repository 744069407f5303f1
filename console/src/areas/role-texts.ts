const ROLES: Record<string, readonly [string, string]> = {
  founder: ['Founder', '创始人'],
  owner: ['Member', '普通用户'],
  developer: ['Developer', '开发者'],
  disabler: ['Restricted', '受限用户'],
}

export function roleText(name: string, shown?: string): readonly [string, string] {
  const ours = ROLES[name]
  if (ours && (!shown || shown === ours[0])) return ours
  return [shown || name, shown || name]
}
