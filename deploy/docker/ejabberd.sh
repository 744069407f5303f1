#!/bin/sh
# Starts ejabberd with docs/ejabberd.yml for this site, and creates Kith's account.
set -eu
PATH=${EJABBERD_HOME:=/home/ejabberd}/bin:$PATH
# Listens on all addresses, because Kith connects from a different container. No port is published.
sed -e "s/chat\.example\.org/$KITH_SITE/" -e 's/ip: "127\.0\.0\.1"/ip: "::"/' "$KITH_EJABBERD_YML" > "$EJABBERD_HOME/conf/ejabberd.yml"
(
  until ejabberdctl started > /dev/null 2>&1; do sleep 1; done
  ejabberdctl check_account kith "$KITH_SITE" > /dev/null 2>&1 || ejabberdctl register kith "$KITH_SITE" "$EJABBERD_PASSWORD"
) &
exec ejabberdctl foreground
