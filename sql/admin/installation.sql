select i.letters from millrace_private.installation i
