import type { Language } from '#platform/errors.ts'

type Template = Record<Language, { title: string; body: string }>

/**
 * Texts to start from, by the address of the page. `{site}`, `{address}`, `{contact}` and `{imprint}` become the
 * values of the site. They are no legal advice, so each names what the operator must check.
 */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  about: {
    en: {
      title: 'About',
      body: `{site} is a community at {address}.

## Purpose

Write two or three sentences about your community.

## Operator

{imprint}

## Contact

{contact}
`,
    },
    zh: {
      title: '关于',
      body: `{site} 是位于 {address} 的社区。

## 社区介绍

请用两三句话介绍你们的社区。

## 运营者

{imprint}

## 联系方式

{contact}
`,
    },
  },
  terms: {
    en: {
      title: 'Terms of use',
      body: `*Template: check each paragraph, and have it reviewed for your country.*

## 1. The service

{site} ({address}) lets its members publish posts, articles, questions and messages. It is run by:

{imprint}

## 2. Your account

You need to be old enough to agree to these terms in your country. Keep your password to yourself. You may delete your account at any time in your settings.

## 3. Your content

You keep the rights to what you publish. You allow {site} to store it and to show it to the readers you chose. You may publish only what you may lawfully publish.

## 4. Rules

The rules of the community apply. Moderators may hide content that breaks them, and suspend accounts. You are told the reason and may appeal.

## 5. Availability

{site} is provided as it is. It may be interrupted for maintenance.

## 6. Changes

The newest version of these terms is at {address}/pages/terms. Each version is kept.

## 7. Contact

{contact}
`,
    },
    zh: {
      title: '用户协议',
      body: `*此为模板：请逐段核对，并按所在地区的法律审阅。*

## 一、服务

{site}（{address}）供用户发布动态、文章、问答和消息。运营者：

{imprint}

## 二、账号

您应达到所在地区法律规定的年龄。请妥善保管密码。您可以随时在设置中注销账号。

## 三、内容

您保留所发布内容的权利，并允许 {site} 存储这些内容、向您选择的读者展示。您只能发布依法有权发布的内容。

## 四、社区规范

请遵守社区规范。管理员可以隐藏违规内容、封禁账号。您会得知原因，并可以申诉。

## 五、服务状态

{site} 按现状提供服务，维护期间可能中断。

## 六、变更

最新版本见 {address}/pages/terms，历史版本均会保留。

## 七、联系方式

{contact}
`,
    },
  },
  privacy: {
    en: {
      title: 'Privacy',
      body: `*Template: check each paragraph against what you configured, and have it reviewed for your country.*

## Operator

{imprint}

{contact}

## Stored data

- **Your account**: name, e-mail address or phone number, a hash of your password, and the profile that you fill in.
- **What you publish**: posts, comments, messages, pictures, likes and follows.
- **Sign-ins**: time, device and network address of your sessions, which you can see and end in your settings.
- **Payments**, if you make any: amount, time and order number. Card data stays with the payment provider.

## Use of the data

To run the service: to show content to the readers you chose, to send the codes and notifications that you asked for, and to prevent abuse. {site} shows no third-party advertising scripts and does not sell data.

## Recipients

Only those who are needed to run the service: the hosting provider, and the providers of mail, text messages, push messages and payments. *Name them here.*

## Retention

Until you delete it. A deleted account is erased after the grace period in your settings. Logs and backups are deleted after *fill in* days.

## Cookies

Only those the service needs: your session, your language and your theme.

## Your rights

You can export your data and delete your account in your settings. You may complain to the data protection authority of your country.
`,
    },
    zh: {
      title: '隐私政策',
      body: `*此为模板：请按实际配置逐段核对，并按所在地区的法律审阅。*

## 负责人

{imprint}

{contact}

## 收集的信息

- **账号**：用户名、邮箱或手机号、密码的散列值，以及您填写的资料。
- **发布的内容**：动态、评论、消息、图片、点赞和关注。
- **登录记录**：登录时间、设备和网络地址，可在设置中查看并退出。
- **付款**（如有）：金额、时间和订单号。银行卡信息由支付服务商保存。

## 用途

用于提供服务：向您选择的读者展示内容、发送您需要的验证码和通知、防止滥用。{site} 不使用第三方广告脚本，也不出售数据。

## 接收方

仅限提供服务所必需者：主机服务商，以及邮件、短信、推送和支付服务商。*请在此列出。*

## 保存期限

直至您删除。注销的账号在宽限期后清除。日志和备份在 *填写* 天后删除。

## Cookie

仅使用服务所必需的 Cookie：登录状态、语言和主题。

## 您的权利

您可以在设置中导出数据、注销账号，也可以向所在地区的数据保护机构投诉。
`,
    },
  },
  rules: {
    en: {
      title: 'Rules of the community',
      body: `1. **Be kind.** Discuss the matter, not the person.
2. **Stay lawful.** No threats, no hatred, no content that harms children.
3. **Respect privacy.** Publish nothing private about other people without their consent.
4. **No spam.** Advertising only where it is welcome.
5. **Name your sources**, and publish only what you may publish.

Report what breaks these rules with the menu of each post. Moderators decide, and give the reason. You may appeal against a suspension.
`,
    },
    zh: {
      title: '社区规范',
      body: `1. **友善交流。** 对事不对人。
2. **遵守法律。** 禁止威胁、仇恨和危害未成年人的内容。
3. **尊重隐私。** 未经同意，不发布他人的私人信息。
4. **不发垃圾信息。** 仅在允许的地方发布广告。
5. **注明来源**，只发布您有权发布的内容。

如发现违规内容，请使用帖子菜单中的举报功能。管理员会作出处理并说明原因，您可以对封禁提出申诉。
`,
    },
  },
  contact: {
    en: {
      title: 'Contact',
      body: `{contact}

{imprint}
`,
    },
    zh: {
      title: '联系我们',
      body: `{contact}

{imprint}
`,
    },
  },
}
